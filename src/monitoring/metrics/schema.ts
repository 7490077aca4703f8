import * as z from 'zod'

/** A 64-bit integer, which JSON made from protobuf writes as text. */
const integer = z.union([z.string().regex(/^-?\d{1,20}$/), z.int()]).nullish()
const double = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]).nullish()

const attributes = z
  .array(
    z.object({
      key: z.string().nullish(),
      value: z.object({ stringValue: z.string().nullish(), intValue: integer }).nullish(),
    }),
  )
  .nullish()

const anyPoint = { attributes, timeUnixNano: integer, flags: z.int().nullish() }
const numberPoint = z.object({ ...anyPoint, asDouble: double, asInt: integer })
const countedPoint = z.object({ ...anyPoint, count: integer, sum: double })

function dataOf<Point extends z.ZodType>(point: Point) {
  return z.object({ dataPoints: z.array(point).nullish() }).nullish()
}

const metric = z.object({
  name: z.string().nullish(),
  gauge: dataOf(numberPoint),
  sum: dataOf(numberPoint),
  histogram: dataOf(countedPoint),
  exponentialHistogram: dataOf(countedPoint),
  summary: dataOf(countedPoint),
})

/** An OTLP `ExportMetricsServiceRequest` as JSON, as far as it is read; what else it holds is not looked at. */
export const exportRequest = z
  .object({
    resourceMetrics: z
      .array(
        z.object({
          resource: z.object({ attributes }).nullish(),
          scopeMetrics: z.array(z.object({ metrics: z.array(metric).nullish() })).nullish(),
        }),
      )
      .nullish(),
  })
  .meta({ id: 'ExportMetricsServiceRequest', description: 'OTLP metrics (opentelemetry-proto, v1).' })

export type Metric = z.infer<typeof metric>
export type Attributes = z.infer<typeof attributes>
export type NumberPoint = z.infer<typeof numberPoint>
export type CountedPoint = z.infer<typeof countedPoint>

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

/** How OTLP words a refusal (google.rpc.Status). */
export const rpcStatus = z.object({ message: z.string() }).meta({ id: 'RpcStatus' })
