"""What follows the ledger and can be made from it again at any time."""
