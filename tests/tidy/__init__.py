"""The rules of size and tidiness that the build keeps; `python -m tests.tidy` prints the figures behind them."""
