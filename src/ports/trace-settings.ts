import * as z from 'zod'
import { urlOf } from '../lib/urls.ts'
import { commaSeparated } from './environment.ts'

const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/

/** The variables of traces. */
export const traceVariables = {
  TIDEMARK_TRACES_URL: z
    .string()
    .refine(
      isEndpoint,
      'must be an http: or https: URL without credentials, such as http://127.0.0.1:4318/v1/traces',
    )
    .optional()
    .describe('The URL that takes traces by OTLP/HTTP as JSON. Default: no traces are made.'),
  TIDEMARK_TRACES_HEADERS: z
    .string()
    .default('')
    .transform(commaSeparated)
    .refine((pairs) => pairs.every((pair) => HEADER.test(pair) && headerOf(pair) !== null), {
      message: 'must be comma-separated pairs such as authorization=Bearer%20secret',
    })
    .describe(
      'Header fields of requests with traces: comma-separated `name=value`, with values percent-encoded.',
    ),
  TIDEMARK_TRACES_RATIO: z
    .string()
    .regex(/^(?:0|1|0?\.\d{1,6})$/, 'must be a number from 0 to 1, such as 0.05')
    .default('1')
    .transform(Number)
    .describe('The share of traces that are recorded, 0 to 1, where no caller decides by `traceparent`.'),
}

const variables = z.object(traceVariables)

export type TraceSettings = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly ratio: number
}

/** The settings of traces; null without an endpoint. */
export function traceSettingsOf({
  TIDEMARK_TRACES_URL: url,
  TIDEMARK_TRACES_HEADERS: pairs,
  TIDEMARK_TRACES_RATIO: ratio,
}: z.output<typeof variables>): TraceSettings | null {
  if (url === undefined) return null
  return { url, headers: Object.fromEntries(pairs.map(headerOf).filter((pair) => pair !== null)), ratio }
}

function isEndpoint(text: string): boolean {
  const url = urlOf(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

function headerOf(pair: string): readonly [string, string] | null {
  const [, name = '', value = ''] = HEADER.exec(pair) ?? []
  try {
    const decoded = decodeURIComponent(value.trim())
    return /^[\x20-\x7e]*$/.test(decoded) ? [name.toLowerCase(), decoded] : null
  } catch {
    return null
  }
}
