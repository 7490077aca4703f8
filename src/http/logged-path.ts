import { urlOf } from '../lib/urls.ts'

/** The least characters of a segment of a path that may be a secret, such as the token of a push URL. */
const SECRET_MIN = 20
const RUN_ID = /^j_[0-9A-Z]{26}$/

/** The path of a URL without its query, and with `…` for each segment that may be a secret. */
export function pathWithoutSecrets(url: string): string {
  const path = urlOf(url)?.pathname ?? ''
  const segments = path.split('/')
  return segments
    .map((segment) => (segment.length < SECRET_MIN || RUN_ID.test(segment) ? segment : '…'))
    .join('/')
}
