# The Heldtrue service with vectors, the reader and the driver for PostgreSQL. See docs/guides/installing.md.
#
#   docker build -t heldtrue .
#   docker run -d --name heldtrue -p 127.0.0.1:7373:7373 -v heldtrue:/var/lib/heldtrue heldtrue

FROM python:3.13-slim AS build
WORKDIR /build
# Without a pip of its own, the environment is smaller: the pip of the image installs into it.
RUN python -m venv --without-pip /opt/heldtrue
COPY requirements/image.txt requirements/image.txt
RUN pip --python /opt/heldtrue/bin/python install --no-cache-dir --no-deps --require-hashes --requirement requirements/image.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY packages/heldtrue-reader/pyproject.toml packages/heldtrue-reader/README.md packages/heldtrue-reader/NOTICE packages/heldtrue-reader/
COPY packages/heldtrue-reader/src packages/heldtrue-reader/src
RUN pip --python /opt/heldtrue/bin/python install --no-cache-dir --no-deps --no-build-isolation . ./packages/heldtrue-reader

FROM python:3.13-slim
COPY --from=build /opt/heldtrue /opt/heldtrue
RUN mkdir -m 700 /var/lib/heldtrue && chown 10001:10001 /var/lib/heldtrue
ENV PATH=/opt/heldtrue/bin:$PATH
ENV HELDTRUE_HOME=/var/lib/heldtrue
ENV HELDTRUE_SERVER_HOST=0.0.0.0
# The names by which the service may be called, separated by commas.
ENV HELDTRUE_SERVER_ALLOWED_HOSTS=localhost
USER 10001:10001
VOLUME /var/lib/heldtrue
EXPOSE 7373
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('HELDTRUE_SERVER_PORT') or 7373), timeout=4); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
# Quiet, so that the owner's token does not end up in the log of the container.
CMD ["heldtrue", "--quiet", "serve"]
