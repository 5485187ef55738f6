"""Spread: influence that passes from cell to cell and decays."""
