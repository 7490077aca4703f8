import { SPOKEN } from '../../lib/language.ts'
import type { Spoken } from '../../lib/language.ts'

const RANGE = /^([a-z]{1,8})(?:-[a-z\d-]*)?(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** The supported language that an Accept-Language header prefers (RFC 9110); English if it prefers none. */
export function languageOf(header: string | undefined): Spoken {
  let best: { readonly language: Spoken; readonly weight: number } | null = null
  for (const part of (header ?? '').slice(0, 1_000).split(',')) {
    const [, tag = '', q = '1'] = RANGE.exec(part.trim()) ?? []
    const language = SPOKEN.find((one) => one === tag.toLowerCase())
    const weight = Number(q)
    if (language && weight > (best?.weight ?? 0)) best = { language, weight }
  }
  return best?.language ?? 'en'
}
