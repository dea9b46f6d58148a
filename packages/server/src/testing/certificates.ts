/**
 * Certificates for TLS servers of tests, made on the spot: Node can read X.509 but not write it, so the few structures
 * needed (RFC 5280, in DER) are written here.
 */
import { generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from "node:crypto";
import { isIP } from "node:net";

const DAY_MS = 86_400_000;

export interface TestCertificate {
  /** PEM; goes into `tls.createServer({ key, cert })`. */
  key: string;
  cert: string;
}

export interface CertificateWish {
  /** DNS names and IP addresses the certificate is for. */
  hosts: string[];
  notBefore?: Date;
  notAfter?: Date;
}

export interface TestAuthority {
  /** PEM, for those who are to trust it. */
  cert: string;
  issue(wish: CertificateWish): TestCertificate;
}

export function createTestAuthority(): TestAuthority {
  const issuer = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = distinguishedName(`Test authority ${randomBytes(4).toString("hex")}`);
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const isAuthority = extension("2.5.29.19", true, sequence(der(0x01, Buffer.from([0xff]))));
  const shared = { issuer: name, issuerKey: issuer.privateKey };
  return {
    cert: certificate({
      ...shared,
      ...validity,
      subject: name,
      publicKey: issuer.publicKey,
      extensions: [isAuthority],
    }),
    issue({ hosts, ...wished }) {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const names = extension("2.5.29.17", false, sequence(...hosts.map(generalName)));
      const subject = distinguishedName("Test server");
      return {
        key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        cert: certificate({ ...shared, ...validity, ...wished, subject, publicKey, extensions: [names] }),
      };
    },
  };
}

interface CertificateContent {
  issuer: Buffer;
  issuerKey: KeyObject;
  subject: Buffer;
  publicKey: KeyObject;
  notBefore: Date;
  notAfter: Date;
  extensions: Buffer[];
}

function certificate(content: CertificateContent): string {
  const ecdsaWithSha256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
  const toBeSigned = sequence(
    der(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    ecdsaWithSha256,
    content.issuer,
    sequence(utcTime(content.notBefore), utcTime(content.notAfter)),
    content.subject,
    content.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...content.extensions)),
  );
  const signature = sign("sha256", toBeSigned, content.issuerKey);
  return new X509Certificate(sequence(toBeSigned, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))).toString();
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectIdentifier("2.5.4.3"), der(0x0c, Buffer.from(commonName)))));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : [];
  return sequence(objectIdentifier(id), ...critical, der(0x04, value));
}

function generalName(host: string): Buffer {
  return isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, addressBytes(host));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** `YYMMDDHHMMSSZ`. */
function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/[^0-9]/g, "");
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const base128 = (arc: number): number[] => {
    const bytes = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) bytes.unshift(0x80 | (left & 0x7f));
    return bytes;
  };
  return der(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function integer(bigEndian: Buffer): Buffer {
  return der(0x02, bigEndian);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
