import { Temporal } from 'temporal-polyfill'

import { CommandFailure, EXIT } from '../../server/failures.ts'
import { idOf, serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { outcome, table } from './printing.ts'

type Window = {
  readonly id: number
  readonly type: string
  readonly status: string
  readonly begin: string
  readonly end: string
  readonly name: string
}

const PLURALS: Readonly<Record<string, string>> = {
  group: 'groups',
  device: 'devices',
  job: 'jobs',
  slo: 'slos',
  slc: 'slcs',
}

/** `tidemark maintain`: plans, lists and ends maintenance windows. */
export const maintainCommand: Command = {
  name: 'maintain',
  about:
    'Plans, lists and ends maintenance windows of an object, named as job/42 or device/7. A window begins now unless\n' +
    '  --from is given, and ends after --for (a duration such as PT2H) or at --until.',
  actions: {
    plan: serviceAction({
      words: '<type>/<id>',
      count: [1, 1],
      options: {
        for: { value: 'duration' },
        from: { value: 'instant' },
        until: { value: 'instant' },
        name: { value: 'text' },
        comment: { value: 'text' },
      },
      run: plan,
    }),
    list: serviceAction({ words: '<type>/<id>', count: [1, 1], options: {}, run: list }),
    end: serviceAction({ words: '<type>/<id> <window>', count: [2, 2], options: {}, run: end }),
  },
}

async function plan(invocation: Invocation): Promise<Outcome> {
  const path = pathOf(invocation.words[0])
  const [begin, endAt] = spanOf(invocation)
  const body = {
    type: 'maintenance',
    begin,
    end: endAt,
    name: invocation.text('name'),
    comment: invocation.text('comment'),
  }
  const window = await invocation.client().json<Window>('POST', path, JSON.stringify(body))
  return outcome(
    invocation,
    window,
    (made) => `Maintenance window ${made.id} of ${invocation.words[0]}: ${made.begin} to ${made.end}.\n`,
  )
}

async function list(invocation: Invocation): Promise<Outcome> {
  const windows = await invocation.client().read<readonly Window[]>(pathOf(invocation.words[0]))
  return outcome(invocation, windows, (all) =>
    table(
      ['ID', 'TYPE', 'STATUS', 'BEGIN', 'END', 'NAME'],
      all.map(({ id, type, status, begin, end: endAt, name }) => [id, type, status, begin, endAt, name]),
      'The object has no maintenance windows, corrections or comments.',
    ),
  )
}

async function end(invocation: Invocation): Promise<Outcome> {
  const [object, window] = invocation.words
  const id = idOf(window, 'maintenance window')
  await invocation.client().ask('DELETE', `${pathOf(object)}/${id}`)
  return outcome(invocation, { id }, () => `Maintenance window ${id} of ${object} has ended or is deleted.\n`)
}

function pathOf(word = ''): string {
  const [type = '', id] = word.split('/')
  const plural = PLURALS[type]
  if (plural === undefined)
    throw new CommandFailure(
      EXIT.usage,
      `"${word}" is not an object: name it as job/42, device/7, group/1, slo/3 or slc/5.`,
    )
  return `/${plural}/${idOf(id, type)}/revaluations`
}

/** The begin and the end of a window. @throws {CommandFailure} usage */
function spanOf(invocation: Invocation): readonly [string, string] {
  const { from, until, duration } = {
    from: invocation.text('from'),
    until: invocation.text('until'),
    duration: invocation.text('for'),
  }
  if ((until === undefined) === (duration === undefined))
    throw new CommandFailure(EXIT.usage, 'Pass either --for <duration> or --until <instant>.')
  try {
    const begin = from === undefined ? Temporal.Now.instant() : Temporal.Instant.from(from)
    // A day of a duration has 24 hours: an instant has no calendar.
    const endAt =
      duration === undefined
        ? Temporal.Instant.from(until ?? '')
        : begin.toZonedDateTimeISO('UTC').add(Temporal.Duration.from(duration)).toInstant()
    return [begin.toString({ smallestUnit: 'second' }), endAt.toString({ smallestUnit: 'second' })]
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new CommandFailure(
      EXIT.usage,
      '--from and --until take instants such as 2026-03-02T09:30:00Z, and --for a duration such as PT2H.',
    )
  }
}
