/** A file of an export, as far as the page reads it: the API checks the rest. */
export type Configuration = { readonly names: readonly string[]; readonly body: unknown }

/** @returns null for another text */
export function configurationOf(text: string): Configuration | null {
  try {
    const body = JSON.parse(text) as {
      readonly dataSources?: readonly { readonly settings?: { readonly name?: unknown } }[]
    }
    const names = body.dataSources?.map(({ settings }) => settings?.name)
    if (!names || !names.every((name) => typeof name === 'string')) return null
    return { names, body }
  } catch {
    return null
  }
}
