/** The processor of a queue, behind HTTP: Rowmill calls it for each row. */
import { createServer } from "node:http";

/** @param {{ company: string }} job */
const processJob = ({ company }) => ({ letters: company.length });

createServer((request, response) => {
  let body = "";
  request.on("data", (part) => (body += String(part)));
  request.on("end", () => {
    try {
      const result = processJob(/** @type {{ company: string }} */ (JSON.parse(body)));
      response.setHeader("content-type", "application/json").end(JSON.stringify(result));
    } catch (error) {
      // 5xx is tried again, 4xx is not.
      response.writeHead(500).end(String(error));
    }
  });
}).listen(Number(process.argv[2]), "127.0.0.1");
