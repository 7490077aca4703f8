import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'

import { answering, AWAY, COLLECTOR, makeJob, openStage, received } from './stage.ts'
import type { Stage } from './stage.ts'

type Meter = ReturnType<MeterProvider['getMeter']>

const NAMES = ['room.temperature', 'requests', 'latency_count', 'latency_sum', 'other']
const EXPORTERS = { JSON: JsonExporter, protobuf: ProtobufExporter }

let stage: Stage
let refused = 0
let refusalsLeft = 0
beforeAll(async () => {
  const seams = answering((parcels) => {
    if (refusalsLeft === 0) return null
    refusalsLeft--
    refused++
    return parcels.map(() => AWAY)
  })
  stage = await openStage(seams)
})
afterAll(() => stage.host.close())

type Sending = {
  readonly encoding: keyof typeof EXPORTERS
  readonly compression: 'none' | 'gzip'
  readonly attributes: Readonly<Record<string, string | number>>
}

/** Measures and exports once. @throws what the exporter fails with */
async function exportOnce(
  { encoding, compression, attributes }: Sending,
  measure: (meter: Meter) => void,
): Promise<void> {
  const exporter: PushMetricExporter = new EXPORTERS[encoding]({
    url: `${stage.host.url}/otlp/v1/metrics`,
    headers: { authorization: `Basic ${btoa(`${COLLECTOR.username}:${COLLECTOR.password}`)}` },
    compression: compression as NonNullable<ConstructorParameters<typeof JsonExporter>[0]>['compression'] &
      string,
  })
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ resource: resourceFromAttributes(attributes), readers: [reader] })
  measure(provider.getMeter('test'))
  const { resourceMetrics, errors } = await reader.collect()
  expect(errors).toEqual([])
  await new Promise<void>((resolve, reject) =>
    exporter.export(resourceMetrics, ({ error }) => (error ? reject(error) : resolve())),
  )
  await exporter.shutdown()
}

const WAYS = (['JSON', 'protobuf'] as const).flatMap((encoding) =>
  (['none', 'gzip'] as const).map((compression) => ({ encoding, compression })),
)

describe('a real OpenTelemetry SDK', () => {
  test.each(WAYS)('stores a gauge, a counter and a histogram ($encoding, $compression)', async (way) => {
    const jobId = await makeJob(stage, NAMES)
    const other = await makeJob(stage, NAMES)
    const startedAt = Date.now()
    await exportOnce({ ...way, attributes: { 'service.name': 'test', 'tidemark.job': jobId } }, (meter) => {
      meter.createGauge('room.temperature', { unit: 'Cel' }).record(21.5)
      const requests = meter.createCounter('requests')
      requests.add(3)
      requests.add(4)
      const latency = meter.createHistogram('latency', { unit: 's' })
      latency.record(0.25)
      latency.record(1.5)
      meter
        .createUpDownCounter('queue')
        .add(-2, { 'tidemark.job': String(other), 'tidemark.value': 'returnValue5' })
    })
    const expected = [21.5, 7, 2, 1.75]
    for (const [index, value] of expected.entries()) {
      const [sample, ...more] = await received(stage, { jobId, key: `returnValue${index + 1}`, count: 1 })
      expect([sample?.value, more]).toEqual([value, []])
      expect(sample?.at).toBeWithin(startedAt - 1, Date.now() + 1)
    }
    expect(await stage.session.readSamples(stage.host.url, jobId, 'returnValue5')).toEqual([])
    const [queue] = await received(stage, { jobId: other, key: 'returnValue5', count: 1 })
    expect(queue?.value).toBe(-2)
  })

  test.each(WAYS)(
    'repeats what the service could not take ($encoding, $compression)',
    async (way) => {
      const jobId = await makeJob(stage, NAMES)
      refused = 0
      refusalsLeft = 1
      await exportOnce({ ...way, attributes: { 'tidemark.job': jobId } }, (meter) =>
        meter.createGauge('other').record(5),
      )
      expect(refused).toBe(1)
      const samples = await received(stage, { jobId, key: 'returnValue5', count: 1 })
      expect(samples.map(({ value }) => value)).toEqual([5])
    },
    180_000,
  )

  test.each(WAYS)('succeeds where some points are rejected ($encoding, $compression)', async (way) => {
    const jobId = await makeJob(stage, NAMES)
    await exportOnce({ ...way, attributes: { 'tidemark.job': jobId } }, (meter) => {
      meter.createGauge('other').record(6)
      meter.createGauge('unknown').record(7)
    })
    const samples = await received(stage, { jobId, key: 'returnValue5', count: 1 })
    expect(samples.map(({ value }) => value)).toEqual([6])
  })
})
