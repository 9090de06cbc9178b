"""Where the parts are put together: settings, and the one place that picks a store and a clock."""
