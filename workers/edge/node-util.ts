const Decoder = TextDecoder

/** What ldapts takes from `node:util`, in its place: workerd's own `debuglog` writes always, and what the library tells of its
 * requests has the names of people in it. `wrangler.toml` puts it there. */
export { Decoder as TextDecoder }

export function debuglog(): () => undefined {
  return () => undefined
}
