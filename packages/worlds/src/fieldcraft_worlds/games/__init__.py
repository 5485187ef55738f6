"""Games: their settings, states, rules, orders and scenes, as data. Nothing here draws."""
