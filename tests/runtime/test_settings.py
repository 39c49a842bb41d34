"""A device tells what it runs with."""

import headwater as hw


def test_settings_are_the_options_given_or_not(device: hw.Device) -> None:
    settings = device.settings
    assert all(isinstance(value, int) for value in settings.values())
    assert hw.device(device.name.split(",")[0], **settings).settings == settings


def test_threads_and_lanes_of_the_cpu() -> None:
    assert hw.device("cpu", threads=2, lanes=4).settings == {"threads": 2, "lanes": 4}
