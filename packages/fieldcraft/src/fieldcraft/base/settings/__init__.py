"""Settings files: TOML tables read into frozen dataclasses."""

from fieldcraft.base.settings.dataclasses import SettingsFile, Table, one_of, settings_from

__all__ = ["SettingsFile", "Table", "one_of", "settings_from"]
