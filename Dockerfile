# Kneepoint, read-only: `docker run --init -p 8501:8501 -v /path/to/library:/library kneepoint`.
# Works with `--read-only --tmpfs /tmp` as well: nothing is written outside /tmp and /library.
FROM python:3.11-slim-bookworm

WORKDIR /app
COPY requirements.lock ./
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock
COPY . ./
RUN python -m compileall -q app.py bench pages
RUN useradd --system --uid 10001 --home-dir /tmp --no-create-home kneepoint \
    && install --directory --owner=kneepoint /library

# Whoever runs the container decides under which names it is reached, so any Host is let in here;
# narrow it with -e STREAMLIT_SERVER_ALLOWED_HOSTS="bench.example.org".
# KNEEPOINT_ACCESS=off: readers look, nobody changes anything.
# KNEEPOINT_RESUME=1: sweeps that the container's end cut off go on with what is missing at its next start.
ENV KNEEPOINT_LIBRARY=/library \
    KNEEPOINT_ACCESS=off \
    KNEEPOINT_RESUME=1 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_ALLOWED_HOSTS=* \
    STREAMLIT_SERVER_FILE_WATCHER_TYPE=none \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

USER kneepoint
VOLUME /library
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"STREAMLIT_SERVER_PORT\"]}/healthz', timeout=4)"]
CMD ["streamlit", "run", "app.py"]
