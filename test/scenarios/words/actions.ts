import { durationText } from '../../../src/lib/duration.ts'
import type { Body, Request } from '../../api/client.ts'
import { good } from '../../api/suite.ts'
import type { Word } from '../parser.ts'
import type { Given } from '../pattern.ts'
import type { Play } from '../play.ts'
import { keyOf, readingOf } from './conditions.ts'
import { same } from './found.ts'

const DELIVERY =
  '<name> delivers <anything:readings>[ with error code <number:code>][ measured at <time>][ good for <duration>]' +
  '[ of run <name:run>][ saying <name:message>][ under key <name:key>]'
const REPORT = '<name> reports error code <number:code>[ of run <name:run>][ saying <name:message>]'

/** What happens: time passes, values come or stay away, the platform goes away. */
export const ACTIONS: readonly Word[] = [
  {
    says: 'at <time>',
    run: (play, given) => play.moveTo(given.number('time')),
  },
  { says: 'after <duration>', run: (play, given) => play.moveTo(play.stage.now + given.number('duration')) },
  { says: 'platform away until <time>', run: ({ stage }, given) => stage.awayUntil(given.number('time')) },
  { says: DELIVERY, run: deliver },
  { says: REPORT, run: deliver },
  { says: '<name> starts[ run <name:run>]', run: (play, given) => signal(play, given, 'start') },
  { says: '<name> logs <name:message>', run: (play, given) => signal(play, given, 'log') },
  {
    says: '<name> is pinged[ with <word:signal>]',
    async run(play, given) {
      const job = play.thing(given.text('name'))
      job.pushPath ??= (
        await play.ask<{ path: string }>('POST', `/jobs/${job.id}/pings`, { name: 'cron' })
      ).path
      const signalled = given.maybeText('signal')
      await play.ask('POST', signalled === undefined ? job.pushPath : `${job.pushPath}/${signalled}`)
    },
  },
  {
    says: `expect refusal <word:refusal> when ${DELIVERY}`,
    expects: true,
    async run(play, given) {
      const { status, body } = await play.stage.request('POST', ...delivery(play, given))
      same(given.text('refusal'), status < 300 ? 'taken' : body['code'])
    },
  },
]

async function deliver(play: Play, given: Given): Promise<void> {
  play.delivered = await good<Body>(play.stage.request('POST', ...delivery(play, given)))
}

async function signal(play: Play, given: Given, name: 'start' | 'log'): Promise<void> {
  const json = { signal: name, runId: given.maybeText('run'), message: given.maybeText('message') }
  await play.ask('POST', `/webcollector/jobs/${play.thing(given.text('name')).id}/values`, json)
}

/** Where a delivery goes to, and what it is. */
function delivery(play: Play, given: Given): [path: string, request: Request] {
  const job = play.thing(given.text('name'))
  const readings = given.maybeText('readings')?.split(', ') ?? []
  const time = given.maybeNumber('time')
  const ttl = given.maybeNumber('duration')
  const key = given.maybeText('key')
  const json = {
    ...Object.fromEntries(readings.map((reading) => readingAt(reading, job))),
    errorCode: given.maybeNumber('code'),
    timestamp: time === undefined ? undefined : new Date(time).toISOString(),
    ttl: ttl === undefined ? undefined : durationText(ttl),
    runId: given.maybeText('run'),
    message: given.maybeText('message'),
  }
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return [`/webcollector/jobs/${job.id}/values`, { json, headers }]
}

const READING = /^(?:(.+) )?("[^"]*"|-?[\d.]+)$/

/** `Load 95`, or `95` for the first value of the job. */
function readingAt(text: string, job: { numbers: readonly string[]; texts: readonly string[] }) {
  const [, name = job.numbers[0] ?? job.texts[0] ?? '', value] = READING.exec(text) ?? []
  if (value === undefined)
    throw new RangeError(`\`${text}\` is no reading: write a value, or a name and a value`)
  return [/^(return|string)Value\d+$/.test(name) ? name : keyOf(name, job), readingOf(value)] as const
}
