import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { rejection } from '../../contract/rejection.ts'
import { HOSTS_BY_HAND } from '../../hosts/by-hand.ts'
import { parseStory, StoryError } from '../../scenarios/parser.ts'
import { playStory, Stage } from '../../scenarios/play.ts'
import { VOCABULARY } from '../../scenarios/vocabulary.ts'

const START_MAX_MS = 180_000
const PLAY_MAX_MS = 60_000
const [[, startBun]] = HOSTS_BY_HAND

/** What happened, of which everything below tells the truth or not. */
const HAPPENED = `story: a control
at 2026-03-02 09:00
job "load"
  value "Load"
  text "Version"
  timeout 15m
  major when Load > 90
  warning when error code = 5
job "disk"
slo "Shop"
  costs 120 CHF a minute
  risk factor 1.5
  made of "load"
  made of "disk"
at 09:10
"load" delivers Load 95, Version "1.0" with error code 3 saying "hot"
at 09:20
"load" delivers Load 10 with error code 0 saying "cold"
"load" delivers Load 20 measured at 09:15
at 09:50
change "load"
  stopped
at 10:00
`

const CONTAINER = 'container "Contract"\n  well for 90 % of each day\n  made of "Shop"\n'

/** An expectation that holds, and one that does not and must be found out. */
const CONTROLS: readonly (readonly [right: string, wrong: string])[] = [
  ['expect "load" is undefined', 'expect "load" is ok'],
  ['expect "load" is undefined since 09:50', 'expect "load" is undefined since 09:49:59.999'],
  ['expect "Shop" is ok', 'expect "Shop" is warning'],
  ...[
    'open',
    'closed at major',
    'closed since 09:10',
    'closed until 09:49',
    'closed held by delay',
    'closed explained by "Shop"',
  ].map((wrong): [string, string] => [
    'expect alarm of "load" closed at warning since 09:35 until 09:50',
    `expect alarm of "load" ${wrong}`,
  ]),
  ['expect no alarm of "load"', '"disk" reports error code 1\nexpect no alarm of "disk"'],
  ['expect "load" has error code 5', 'expect "load" has error code 0'],
  ['expect "load" is never due', 'expect "load" is due at 09:35'],
  ['expect "disk" is never due', 'expect "disk" says "something"'],
  [
    'job "timed"\n  timeout 1h\nexpect "timed" is due at 11:00',
    'job "late"\n  timeout 1h\nexpect "late" is never due',
  ],
  ['expect "load" shows "Load" 10', 'expect "load" shows "Load" 95'],
  ['expect that to be late', 'expect that to be in time'],
  [
    '"disk" reports error code 0\nexpect that to be in time',
    '"disk" reports error code 0\nexpect that to be late',
  ],
  [
    'expect refusal job_stopped when "load" delivers 10',
    'expect refusal value_in_future when "load" delivers 10',
  ],
  [
    'expect refusal value_not_defined when "disk" delivers returnValue1 1',
    'change "load"\n  started\nexpect refusal job_stopped when "load" delivers 10',
  ],
  ['expect children of "Shop"\n  "load"\n  "disk"', 'expect children of "Shop"\n  "disk"\n  "load"'],
  ['expect children of "Shop"\n  "load"\n  "disk"', 'expect children of "Shop"\n  "load"'],
  [
    'expect changes of "load"\n  09:10 ok to major by threshold noticed at 09:10\n  09:20 major to ok\n  09:35 ok to warning\n  09:50 warning to undefined',
    'expect changes of "load"\n  09:10 ok to major\n  09:20 major to ok\n  09:35 ok to warning',
  ],
  ['expect changes of "disk"\n  none', 'expect changes of "disk"\n  09:10 ok to major'],
  ['expect changes of "disk"\n  none', 'expect changes of "load"\n  none'],
  ...[
    '09:10:01 ok to major',
    '09:10 warning to major',
    '09:10 ok to minor',
    '09:10 ok to major by timeout',
    '09:10 ok to major because of "disk"',
    '09:10 ok to major noticed at 09:11',
  ].map((line): [string, string] => [
    'expect changes of "Shop" from 09:05 to 09:15\n  09:10 ok to major because of "load"',
    `expect changes of "Shop" from 09:05 to 09:15\n  ${line}`,
  ]),
  ...(
    [
      ['80 %', '80.001 %'],
      ['80 % with maintenance', '79.999 % with maintenance'],
      ['down 10m', 'down 9m 59s'],
      ['in maintenance 0m', 'in maintenance 1s'],
      ['not known 10m', 'not known 0m'],
      ['measured 1h', 'measured 59m'],
      ['80 %', 'unknown'],
      ['counting major and warning\n  50 %', 'counting major and warning\n  80 %'],
    ] as const
  ).map(([right, wrong]): [string, string] => [
    `expect availability of "load" from 09:00 to 10:00\n  ${right}`,
    `expect availability of "load" from 09:00 to 10:00\n  ${wrong}`,
  ]),
  [
    'expect availability of "load" from 09:50 to 10:00\n  unknown',
    'expect availability of "load" from 09:50 to 10:00\n  100 %',
  ],
  ...[
    '09:10 to 09:21 major',
    '09:11 to 09:20 major',
    '09:10 to 09:20 minor',
    '09:10 until now major',
    '09:10 to 09:20 major costing 1201 CHF',
    '09:10 to 09:20 major costing 1200 EUR',
    '09:10 to 09:20 major at risk 1200',
    '09:10 to 09:20 major because of "disk"',
    'none',
  ].map((line): [string, string] => [
    'expect outages of "Shop"\n  09:10 to 09:20 major costing 1200 CHF at risk 1800 because of "load"',
    `expect outages of "Shop"\n  ${line}`,
  ]),
  [
    'expect outages of "Shop"\n  of 10m 1s at least\n  none',
    'expect outages of "disk"\n  09:10 to 09:20 major',
  ],
  [
    'expect values of "load" called "Load"\n  09:10 95\n  09:15 20\n  09:20 10',
    'expect values of "load" called "Load"\n  09:10 95\n  09:20 10',
  ],
  [
    'expect values of "load" called "Load" from 09:18 to 10:00\n  09:20 10',
    'expect values of "load" called "Load" from 09:18 to 10:00\n  09:20 11',
  ],
  [
    'expect values of "load" called "Version"\n  09:10 "1.0"',
    'expect values of "load" called "Version"\n  09:10 "1.1"',
  ],
  [
    'expect values of "load" called "Load" from 09:30 to 10:00\n  none',
    'expect values of "load" called "Load"\n  none',
  ],
  [
    'expect max of "load" called "Load" by hour from 09:00 to 11:00\n  09:00 95\n  10:00 nothing',
    'expect max of "load" called "Load" by hour from 09:00 to 11:00\n  09:00 95\n  10:00 0',
  ],
  [
    'expect min of "load" called "Load" by hour from 09:00 to 10:00\n  09:00 10',
    'expect min of "load" called "Load" by hour from 09:00 to 10:00\n  09:00 nothing',
  ],
  ['expect "disk" does not flap', 'expect "disk" flaps'],
  [
    'job "line"\n  value "Down"\n  major when Down = 1\n  flaps above 0 % until below 0 %\n"line" delivers 1\nexpect "line" flaps',
    'expect "line" does not flap',
  ],
  ...[
    '"Update" running',
    '"Upkeep" planned',
    '"Update" planned next at 12:01',
    'none',
    'for editing\n  none',
  ].map((line, index): [string, string] => [
    `maintenance "Update" of "disk" from 2026-03-02 12:00 to 13:00\nexpect revaluations of "disk"\n  "Update" planned next at 12:00`,
    `expect revaluations of "disk"${index === 4 ? ' since 10:00' : ''}\n  ${line}`,
  ]),
  [
    'maintenance "Update" of "disk" from 2026-03-02 10:00 to 11:00\nat 10:30\ntake back "Update"\nexpect refusal conflict of taking back "Update"',
    'maintenance "Other" of "disk" from 2026-03-02 12:00 to 13:00\nexpect refusal conflict of taking back "Other"',
  ],
  [
    'expect refusal invalid of that adjustment "Later" of "load" to warning from 2026-03-02 11:00 to 12:00',
    'expect refusal conflict of that adjustment "Wrong" of "load" to warning from 2026-03-02 09:10 to 09:20',
  ],
  ...['total 1h', 'used 11m', 'left 21m'].map((line): [string, string] => [
    `${CONTAINER}at 2026-03-02 10:10\nexpect credit of "Contract"\n  total 2h 24m\n  used 0s\n  left 2h 24m`,
    `expect credit of "Contract"\n  ${line}`,
  ]),
  ...[
    'none',
    '2026-03-01 00:00 to 2026-03-03 00:00 ok used 0s',
    '2026-03-02 00:00 to 2026-03-04 00:00 ok used 0s',
    '2026-03-02 00:00 to 2026-03-03 00:00 minor used 0s',
    '2026-03-02 00:00 to 2026-03-03 00:00 ok used 1s',
    '2026-03-02 00:00 to 2026-03-03 00:00 ok used 0s in revision 2',
  ].map((line): [string, string] => [
    `${CONTAINER}at 2026-03-03 10:00\nexpect periods of "Contract"\n  2026-03-02 00:00 to 2026-03-03 00:00 ok used 0s`,
    `expect periods of "Contract"\n  ${line}`,
  ]),
  ...['needs "load"', 'is needed by "disk"', 'none'].map((line): [string, string] => [
    '"disk" depends on "load"\nexpect dependencies of "disk"\n  needs "load"',
    `"Shop" depends on "disk"\nexpect dependencies of "disk"\n  ${line}`,
  ]),
  [
    'expect refusal cycle when "disk" is to depend on "disk"',
    'expect refusal cycle when "disk" is to depend on "load"',
  ],
]

describe('an expectation that does not hold', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await Stage.open(await startBun())
  }, START_MAX_MS)
  afterAll(() => stage.hand.host.close())

  const play = (told: string) => playStory(stage, parseStory('control', `${HAPPENED}${told}`, VOCABULARY))

  test.each(CONTROLS)(
    '%j holds, %j is found out',
    async (right, wrong) => {
      const failure = await rejection(play(`${right}\n${wrong}`))
      expect(failure).toBeInstanceOf(StoryError)
      expect(String(failure)).toMatch(/control:\d+: expect [^]*\nexpected [^]*\nfound /)
      const linesBefore = `${HAPPENED}${right}`.split('\n').length
      expect((failure as StoryError).place.number).toBeGreaterThan(linesBefore)
    },
    PLAY_MAX_MS,
  )

  test('is tried of every kind', () => {
    const tried = CONTROLS.flatMap(
      ([, wrong]) => parseStory('control', `${HAPPENED}${wrong}`, VOCABULARY).lines,
    )
    const words = new Set(tried.flatMap((line) => [line, ...line.below]).map(({ word }) => word))
    expect(VOCABULARY.filter((word) => word.expects && !words.has(word)).map(({ says }) => says)).toEqual([])
  })

  test(
    'is known by its line also where something cannot be done',
    async () => {
      for (const [told, reason] of [
        ['expect "nobody" is ok', '24: expect "nobody" is ok\nnothing is called "nobody"'],
        ['job "load"\nexpect "load" is ok', '24: job "load"\nsomething is called "load" already'],
        ['at 09:59\nexpect "load" is ok', '24: at 09:59\na story does not go back in time'],
        ['job "x"\n  major when Load > 1\nexpect "x" is ok', '24: job "x"\nthe job has no value "Load"'],
        ['"load" delivers 1\nexpect "load" is ok', 'got 409'],
      ] as const) {
        expect(String(await rejection(play(told)))).toContain(reason)
      }
    },
    PLAY_MAX_MS,
  )
})

describe('a story that cannot be understood', () => {
  const wrong: readonly (readonly [text: string, ...problem: string[]])[] = [
    ['', 'x:1: a story begins with `story:'],
    ['# nothing\n\nat 2026-03-02 09:00', 'x:3: a story begins with `story:'],
    ['story on mars: x', 'x:1: a story begins with `story:'],
    ['story: x\nat 2026-03-02 09:00\njob "a"', 'x:1: a story that expects nothing tells nothing'],
    ['story: x\n\nbake a cake', 'x:3: I do not understand `bake a cake`'],
    ['story: x\njob "a"\n  flavour sweet', 'x:3: I do not understand `flavour sweet` below job'],
    ['story: x\ngroup "a"\n  timeout 15m', 'x:3: nothing may be indented below that'],
    ['story: x\n  job "a"', 'x:2: nothing may be indented below that'],
    ['story: x\ntimeout 15m', 'x:2: I do not understand `timeout 15m`'],
    ['story: x\nat 09:00', 'x:2: 09:00 needs a date'],
    ['story: x\nat 2026-03-29 02:30', 'x:2: 2026-03-29 02:30 is skipped or repeated'],
    ['story: x\nat 2026-10-25 02:30', 'x:2: 2026-10-25 02:30 is skipped or repeated'],
    ['story: x\nat 2026-13-01 09:00', 'x:2: '],
    ['story: x\nat 2026-03-02 09:00\nexpect "a" is fine', 'x:3: I do not understand'],
    ['story: x\njob "a\nexpect "a" is ok', 'x:2: I do not understand'],
    ['story: x\nexpect outages of "a"', 'x:2: write below it what is expected, or `none`'],
  ]

  test.each(wrong)('%j is refused: %s', (text, problem = '') => {
    let failure: unknown
    try {
      parseStory('x', text, VOCABULARY)
    } catch (error) {
      failure = error
    }
    expect(failure).toBeInstanceOf(StoryError)
    expect(String(failure)).toContain(problem)
  })

  test('a sentence with two meanings is refused, and one of no kind', () => {
    const word = { run: () => undefined, expects: true } as const
    const two = [
      { ...word, says: 'say <name>' },
      { ...word, says: 'say "hello"' },
    ]
    expect(() => parseStory('x', 'story: x\nsay "hello"', two)).toThrow('x:2: `say "hello"` means')
    expect(() => parseStory('x', 'story: x\nsay 1', [{ ...word, says: 'say <thing>' }])).toThrow(
      'no kind thing',
    )
  })
})
