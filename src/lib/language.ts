/** The languages of the service's own texts. */
export const SPOKEN = ['en', 'de', 'fr'] as const

export type Spoken = (typeof SPOKEN)[number]

const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}$/

/** A language tag (BCP 47) as it is written canonically, such as `de-CH`; null for any other text. */
export function languageOf(text: string): string | null {
  if (!LANGUAGE.test(text)) return null
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null
  } catch {
    return null
  }
}
