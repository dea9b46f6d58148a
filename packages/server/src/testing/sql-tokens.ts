/**
 * SQL as nested lists of words, as far as a rule about its shape needs: a list for each pair of brackets, texts left out, names in lower
 * case.
 */

export type Token = string | Tokens;
export type Tokens = Token[];

/** Comments, texts, quoted names, dollar-quoted bodies, words with dots, parameters, brackets, and any other character. */
const TOKEN =
  /--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'|\$(\w*)\$.*?\$\1\$|(?:"[^"]+"|[\p{L}_][\w$]*)(?:\.(?:"[^"]+"|[\p{L}_][\w$]*|\*))*|\$\d+|\d+(?:\.\d+)?|<>|<=|>=|::|\|\||[^\s]/gsu;

export function readTokens(sql: string): Tokens {
  const whole: Tokens = [];
  const open: Tokens[] = [whole];
  for (const [token] of sql.matchAll(TOKEN)) {
    const list = open.at(-1) ?? whole;
    if (token.startsWith("--") || token.startsWith("/*")) continue;
    if (token === "(") {
      const inner: Tokens = [];
      list.push(inner);
      open.push(inner);
    } else if (token === ")") {
      if (open.length > 1) open.pop();
    } else if (token.startsWith("'") || /^\$\w*\$/.test(token)) list.push("''");
    else list.push(token.replaceAll('"', "").toLowerCase());
  }
  return whole;
}

/** The list itself, and all that are in it. */
export function* listsOf(tokens: Tokens): Generator<Tokens> {
  yield tokens;
  for (const token of tokens) if (typeof token !== "string") yield* listsOf(token);
}

/** All words, in their order. */
export const wordsOf = (tokens: Tokens): string[] =>
  tokens.flatMap((token) => (typeof token === "string" ? [token] : ["(", ...wordsOf(token), ")"]));
