/** The normal form of the name of an entry (RFC 4514): two names are the same entry if and only if their normal forms are
 * equal, however they are escaped, quoted, spaced and spelled (RFC 4518). Any other text stays unchanged,
 * in lower case. */
export function normalDn(dn: string): string {
  const rdns = partsOf(dn, ',;').map((rdn) => partsOf(rdn, '+').map(normalPair))
  // The order of the pairs of one component says nothing.
  const isName = rdns.flat().every((pair) => pair !== null)
  return isName ? rdns.map((pairs) => pairs.map(String).sort().join('+')).join(',') : folded(dn)
}

/** The parts between separators that are neither escaped nor quoted. */
function partsOf(text: string, dividers: string): string[] {
  const parts = ['']
  let isQuoted = false
  for (const [part] of text.matchAll(/\\.|[^]/gsu)) {
    if (part === '"') isQuoted = !isQuoted
    if (!isQuoted && dividers.includes(part)) parts.push('')
    else parts[parts.length - 1] += part
  }
  return parts
}

function normalPair(pair: string): string | null {
  const [, type, written] = /^\s*([a-z][a-z\d-]*|\d+(?:\.\d+)*)\s*=([^]*)$/i.exec(pair) ?? []
  if (type === undefined || written === undefined) return null
  return `${type.toLowerCase()}=${normalValue(written)}`
}

function normalValue(written: string): string {
  const bare = written.trim()
  // The bytes of the value (RFC 4514 section 2.4), where it has no form in text.
  if (/^#(?:[\da-f]{2})+$/i.test(bare)) return bare.toLowerCase()
  const quoted = /^"([^]*)"$/.exec(bare)?.[1]
  return folded(unescaped(quoted ?? written)).replaceAll(/[\\,;+=#"]/g, String.raw`\$&`)
}

function unescaped(text: string): string {
  return text.replaceAll(/(?:\\[\da-f]{2})+|\\([^])/gi, (all, character?: string) =>
    character === undefined ? new TextDecoder().decode(bytesOf(all)) : character,
  )
}

function bytesOf(pairs: string): Uint8Array {
  return Uint8Array.from(pairs.split('\\').slice(1), (pair) => Number.parseInt(pair, 16))
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
}
