/** A machine translator. */
export interface Translator {
  /** Its name, in answers and in the cache key of translations. */
  readonly name: string
  /** How many texts one call may have. */
  readonly textsMax: number
  /** Translates plain texts, in their order. Rejects with a Refusal where the reason is the caller's to know, such as
   * `invalid` for a language that it does not know; with anything else where it could not be asked. */
  translate(texts: readonly string[], between: Languages, signal: AbortSignal): Promise<string[]>
}

/** Language tags (BCP 47). */
export type Languages = { readonly source: string; readonly target: string }
