"""Pages, legends and plots."""
