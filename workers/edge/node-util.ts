const Decoder = TextDecoder

/** Replaces `node:util` for ldapts and nodemailer, by an alias in `wrangler.toml`. The `debuglog` of workerd writes always, and
 * the requests that ldapts writes have names of people. */
export { Decoder as TextDecoder }

export function debuglog(): () => undefined {
  return () => undefined
}

const library = {
  /** A text in which each `%s` is another value. */
  format(text: string, ...values: readonly unknown[]): string {
    let taken = 0
    return text.replaceAll('%s', () => String(values[taken++]))
  },
}
export { library as default }
