"""Rules of small worlds: state in, state out. Nothing here draws."""
