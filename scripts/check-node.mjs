// Plain JavaScript on purpose: it must run on any Node, to say that the pinned one is missing.
const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
  console.error(
    `Rowmill runs on the Node 24 that its own dependency "node" brings, but this is Node ${process.versions.node}.\n` +
      "It is missing after `npm install --ignore-scripts`: run `npm rebuild node`, or run the scripts with Node 24.",
  );
  process.exit(1);
}
