import { BASIC } from './peer.ts'
import type { History } from './peer.ts'
import { send } from './requests.ts'

type Answer = {
  readonly data: {
    readonly result: readonly {
      readonly metric: { readonly job: string }
      readonly value?: readonly [number, string]
      readonly values?: readonly (readonly [number, string])[]
    }[]
  }
}

/** Means of buckets from what answers PromQL: a point stands at the end of its bucket. */
export function promHistory(parameters: Readonly<Record<string, string>>): History {
  return {
    requests({ of, beginAt, endAt, bucketMs }) {
      const seconds = bucketMs / 1000
      const query = new URLSearchParams({
        query: `avg_over_time(m{job${of === 'first' ? '=' : '!='}"1"}[${seconds}s])`,
        // The bucket of a point at t is (t - step, t].
        start: String((beginAt + bucketMs - 1) / 1000),
        end: String((endAt - 1) / 1000),
        step: String(seconds),
        ...parameters,
      })
      return [{ method: 'GET', path: `/api/v1/query_range?${query.toString()}`, headers: BASIC, body: '' }]
    },
    means: (answers) =>
      answers.flatMap((text) =>
        (JSON.parse(text) as Answer).data.result.flatMap(({ values = [] }) =>
          values.map(([, mean]) => Number(mean)),
        ),
      ),
  }
}

/** The only value that the query has now; 0 where it has none. */
export async function promValue(url: string, query: string): Promise<number> {
  const { data } = await ask(url, query)
  return Number(data.result[0]?.value?.[1] ?? 0)
}

/** The value of each job that the query has now. */
export async function promValues(url: string, query: string): Promise<ReadonlyMap<number, number>> {
  const { data } = await ask(url, query)
  return latestOf(data.result.map(({ metric, value }) => [metric.job, value?.[1]]))
}

/** Jobs with their values, as text or numbers. */
export function latestOf(
  pairs: Iterable<readonly [job: string, value: string | number | undefined]>,
): ReadonlyMap<number, number> {
  return new Map([...pairs].map(([job, value]) => [Number(job), Number(value)]))
}

async function ask(url: string, query: string): Promise<Answer> {
  const parameters = new URLSearchParams({ query, time: String(Date.now() / 1000 + 1) })
  const path = `/api/v1/query?${parameters.toString()}`
  return JSON.parse(await send({ url }, { method: 'GET', path, headers: BASIC, body: '' })) as Answer
}
