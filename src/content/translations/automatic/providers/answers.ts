import { Refusal } from '../../../../lib/errors.ts'

/** The largest answer of a provider that is read. */
export const ANSWER_MAX_BYTES = 1024 * 1024
const RETRY_DEFAULT_S = 10
const RETRY_MAX_S = 86_400

/** The refusal of a pair of languages that a provider does not support. */
export function unknownLanguage(): Refusal {
  return new Refusal('invalid', 'The translation provider does not translate between these languages.')
}

/** The refusal for an unexpected status of a provider. */
export function refusalOfStatus({ status, headers }: Response): Refusal {
  if (status === 429) {
    const askedS = Number(headers.get('retry-after') ?? RETRY_DEFAULT_S)
    const retryS =
      Number.isSafeInteger(askedS) && askedS > 0 ? Math.min(askedS, RETRY_MAX_S) : RETRY_DEFAULT_S
    return new Refusal(
      'too_fast',
      'The translation provider rejects requests because there were too many. Try again later.',
      [],
      retryS,
    )
  }
  const isKey = status === 401 || status === 403
  return new Refusal(
    'unavailable',
    isKey
      ? 'The translation provider rejects the key. Correct translation.apiKey in the settings.'
      : 'The translation provider failed. Try again later.',
    [],
    RETRY_DEFAULT_S,
  )
}
