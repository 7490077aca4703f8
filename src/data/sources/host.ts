import { urlOf } from '../../lib/urls.ts'

/** A host as programs are given it: a name, or an address without brackets, in lower case and in its shortest form; null for
 * other texts, and for a text that resolves to another host than it spells, such as `127.1`. */
export function hostOf(text: string): string | null {
  const lower = text.toLowerCase()
  if (/^[\da-f:.]*:[\da-f:.]*$/.test(lower)) return hostnameOf(`[${lower}]`)?.slice(1, -1) ?? null
  const isWord = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(lower)
  return isWord && hostnameOf(lower) === lower ? lower : null
}

function hostnameOf(host: string): string | null {
  return urlOf(`http://${host}/`)?.hostname ?? null
}
