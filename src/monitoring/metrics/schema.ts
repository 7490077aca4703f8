import * as z from 'zod'

/** Numbers as in ProtoJSON (protobuf.dev/programming-guides/json): numbers or texts, in any notation. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const INT64_MIN = -(2n ** 63n)
const UINT64_MAX = 2n ** 64n - 1n

const integer = z
  .union([z.string(), z.number()])
  .transform((given, issues) => integerOf(given) ?? fault(issues, 'must be a 64-bit integer'))
  .nullish()
const double = z
  .union([z.number(), z.string()])
  .transform((given, issues) => doubleOf(given) ?? fault(issues, 'must be a number'))
  .nullish()

export const attribute = z.object({
  key: z.string().nullish(),
  value: z.object({ stringValue: z.string().nullish(), intValue: integer }).nullish(),
})

const anyPoint = { attributes: z.array(attribute).nullish(), timeUnixNano: integer, flags: integer }
export const numberPoint = z.object({ ...anyPoint, asDouble: double, asInt: integer })
export const countedPoint = z.object({ ...anyPoint, count: integer, sum: double })

type Parts = { readonly attribute: z.ZodType; readonly number: z.ZodType; readonly counted: z.ZodType }

function requestOf<P extends Parts>(parts: P) {
  const dataOf = <T extends z.ZodType>(point: T) =>
    z.object({ dataPoints: z.array(point).nullish() }).nullish()
  const metric = z.object({
    name: z.string().nullish(),
    gauge: dataOf(parts.number),
    sum: dataOf(parts.number),
    histogram: dataOf(parts.counted),
    exponentialHistogram: dataOf(parts.counted),
    summary: dataOf(parts.counted),
  })
  const scope = z.object({ metrics: z.array(metric).nullish() })
  const resource = z.object({ attributes: z.array(parts.attribute).nullish() }).nullish()
  const resourceMetrics = z.object({ resource, scopeMetrics: z.array(scope).nullish() })
  return z.object({ resourceMetrics: z.array(resourceMetrics).nullish() })
}

/** An OTLP `ExportMetricsServiceRequest` as JSON, with the fields that are read; all others are ignored. */
export const exportRequest = requestOf({ attribute, number: numberPoint, counted: countedPoint }).meta({
  id: 'ExportMetricsServiceRequest',
  description: 'OTLP metrics (opentelemetry-proto, v1). Names of fields in snake_case are taken as well.',
})

/** The same without data points and resource attributes, which are validated one by one. */
export const requestFrame = requestOf({ attribute: z.unknown(), number: z.unknown(), counted: z.unknown() })

export type Metric = NonNullable<
  NonNullable<
    NonNullable<
      NonNullable<z.infer<typeof requestFrame>['resourceMetrics']>[number]['scopeMetrics']
    >[number]['metrics']
  >[number]
>
export type Attribute = z.infer<typeof attribute>
export type NumberPoint = z.infer<typeof numberPoint>
export type CountedPoint = z.infer<typeof countedPoint>

function integerOf(given: string | number): bigint | null {
  const isPlain = typeof given === 'string' && /^-?\d{1,20}$/.test(given)
  const number = isPlain ? 0 : doubleOf(given)
  if (number === null || !Number.isInteger(number)) return null
  const integral = isPlain ? BigInt(given) : BigInt(number)
  return integral >= INT64_MIN && integral <= UINT64_MAX ? integral : null
}

function doubleOf(given: string | number): number | null {
  if (typeof given === 'number') return given
  return NUMBER.test(given) || /^(?:NaN|-?Infinity)$/.test(given) ? Number(given) : null
}

function fault(issues: z.RefinementCtx, message: string): never {
  issues.addIssue({ code: 'custom', message })
  return z.NEVER
}

export const exportResponse = z
  .object({
    partialSuccess: z
      .object({
        rejectedDataPoints: z.string().describe('How many data points were rejected; the others are stored.'),
        errorMessage: z.string(),
      })
      .optional()
      .describe('Absent when every data point was stored.'),
  })
  .meta({ id: 'ExportMetricsServiceResponse' })

/** The form of an error in OTLP (google.rpc.Status). */
export const rpcStatus = z.object({ message: z.string() }).meta({ id: 'RpcStatus' })
