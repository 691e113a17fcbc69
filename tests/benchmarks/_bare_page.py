"""A bare Streamlit app that draws one plotly chart, read from the file KNEEPOINT_BARE_CHART names, and nothing else."""

import os
from pathlib import Path

import plotly.io
import streamlit as st

st.plotly_chart(plotly.io.from_json(Path(os.environ["KNEEPOINT_BARE_CHART"]).read_text()), theme=None)
