const Decoder = TextDecoder

/** Replaces `node:util` for ldapts and nodemailer: workerd's own `debuglog` writes always, and what ldapts
 * tells of its requests has the names of people in it. `wrangler.toml` puts it there. */
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
