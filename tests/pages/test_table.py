"""Tables write numbers as the sentences above them do."""

from __future__ import annotations

import numpy as np

from pages.shared import table


def test_an_efficiency_is_a_percentage_and_a_throughput_is_not():
    written = {
        name: table.column(name, None, np.dtype("float64"))["type_config"]["format"]
        for name in ("scaling_efficiency", "output_tokens_per_s")
    }
    assert written == {"scaling_efficiency": "percent", "output_tokens_per_s": "localized"}
