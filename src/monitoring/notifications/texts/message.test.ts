import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { durationWords, messageOf, textOf } from './message.ts'
import type { MessageItem } from './message.ts'
import { FIELDS, filled, unknownFields } from './template.ts'
import type { Values } from './template.ts'
import { SPOKEN } from '../../../lib/language.ts'
import { KINDS, languageOf } from './words.ts'

const ITEM: MessageItem = {
  kind: 'opened',
  alarmId: 5,
  objectId: 7,
  objectType: 'job',
  objectName: 'icmp',
  objectPath: '/root/Zürich/srv1/icmp',
  state: 'major',
  worstState: 'major',
  message: 'no data',
  beginAt: Date.parse('2026-03-02T09:00:00Z'),
  endAt: null,
  silentSinceAt: null,
  timeoutMs: null,
}
const MANNER = { recipient: 'ops', language: 'en', timeZone: 'Europe/Zurich', templates: {} } as const

describe('a message', () => {
  test('has the language and the time zone of its recipient', () => {
    expect(textOf([ITEM], MANNER)).toEqual({
      subject: 'Alarm: icmp is major',
      lines: ['Alarm: /root/Zürich/srv1/icmp is major (alarm since 2026-03-02 10:00:00 +01:00). no data'],
    })
    const ended = { ...ITEM, kind: 'closed', state: 'ok', endAt: ITEM.beginAt + 7_500_000 } as const
    expect(textOf([ended], { ...MANNER, language: 'de', timeZone: 'UTC' })).toEqual({
      subject: 'Behoben: icmp (in Ordnung)',
      lines: [
        'Behoben: /root/Zürich/srv1/icmp, kritisch von 2026-03-02 09:00:00 +00:00 bis 2026-03-02 11:05:00 +00:00 (2 Std 5 Min). no data',
      ],
    })
    expect(textOf([ended, ITEM, ITEM], { ...MANNER, language: 'fr', timeZone: 'UTC' })).toMatchObject({
      subject: '2 alarmes, 1 rétablie',
      lines: [
        'Rétabli : /root/Zürich/srv1/icmp, majeur du 2026-03-02 09:00:00 +00:00 au 2026-03-02 11:05:00 +00:00 (2 h 5 min). no data',
        'Alarme : /root/Zürich/srv1/icmp (majeur, alarme depuis 2026-03-02 09:00:00 +00:00). no data',
        expect.anything(),
      ],
    })
  })

  test.each([
    [
      'returnValue1 is 812; usual are values from 120 to 340',
      'Flow is 812 l/s; usual are 120 l/s to 340 l/s',
      'Flow ist 812 l/s; üblich sind 120 l/s bis 340 l/s',
      'Flow est 812 l/s ; d’habitude de 120 l/s à 340 l/s',
    ],
    [
      'returnValue1 is 8; usual are values of at least 120',
      'Flow is 8 l/s; usual are at least 120 l/s',
      'Flow ist 8 l/s; üblich sind mindestens 120 l/s',
      'Flow est 8 l/s ; d’habitude au moins 120 l/s',
    ],
    [
      'returnValue1 is 8; usual are values of at most 1',
      'Flow is 8 l/s; usual are at most 1 l/s',
      'Flow ist 8 l/s; üblich sind höchstens 1 l/s',
      'Flow est 8 l/s ; d’habitude au plus 1 l/s',
    ],
    [
      'returnValue1 is predicted to be above 90 at 2026-03-02T12:20:00.000Z',
      'Flow is predicted to be above 90 l/s at 2026-03-02 13:20:00 +01:00',
      'Flow wird voraussichtlich über 90 l/s sein, am 2026-03-02 13:20:00 +01:00',
      'Flow devrait être au-dessus de 90 l/s le 2026-03-02 13:20:00 +01:00',
    ],
    ['words of the sender', 'words of the sender', 'words of the sender', 'words of the sender'],
  ])('of a limit that learns is in the language of its recipient: %s', (message, english, german, french) => {
    const facts = { ...ITEM, message, value: { name: 'Flow', unit: 'l/s' } }
    expect(messageOf(facts, MANNER)).toBe(english)
    expect(messageOf(facts, { ...MANNER, language: 'de' })).toBe(german)
    expect(messageOf(facts, { ...MANNER, language: 'fr' })).toBe(french)
  })

  test('of a silent object has its last sign of life and its timeout', () => {
    const silent = {
      ...ITEM,
      message: '',
      beginAt: ITEM.beginAt + 4_233,
      silentSinceAt: ITEM.beginAt + 233,
      timeoutMs: 4_000,
    }
    expect(textOf([silent], MANNER).lines).toEqual([
      'Alarm: /root/Zürich/srv1/icmp is major (alarm since 2026-03-02 10:00:04 +01:00). no data since 10:00:00 (expected every 4 s)',
    ])
    const german = { language: 'de', timeZone: 'UTC' } as const
    expect(messageOf(silent, german)).toBe('keine Daten seit 09:00:00 (erwartet alle 4 s)')
    expect(messageOf({ ...silent, timeoutMs: null }, german)).toBe('keine Daten seit 09:00:00')
    expect(messageOf({ ...silent, silentSinceAt: silent.beginAt - 86_400_000 }, german)).toBe(
      'keine Daten seit 2026-03-01 09:00:04 +00:00 (erwartet alle 4 s)',
    )
    expect(messageOf({ ...silent, message: 'exit 1' }, german)).toBe('exit 1')
    expect(messageOf({ ...ITEM, message: '' }, german)).toBe('')
  })

  test('has words for every event in every language', () => {
    for (const language of SPOKEN) {
      const subjects = KINDS.map((kind) => textOf([{ ...ITEM, kind }], { ...MANNER, language }).subject)
      expect(new Set(subjects).size).toBe(KINDS.length)
    }
  })

  test('shows 20 alarms and counts the others', () => {
    const many = (count: number) =>
      textOf(
        Array.from({ length: count }, () => ITEM),
        MANNER,
      )
    expect(many(20).lines).toHaveLength(20)
    expect(many(21).lines).toHaveLength(21)
    expect(many(21).lines.at(-1)).toBe('… and 1 more.')
    expect(textOf([ITEM, { ...ITEM, kind: 'closed' }], MANNER).subject).toBe('1 alarm, 1 recovered')
  })

  test('uses the templates of its language', () => {
    const templates = { de: { subject: '{{object.name}}!', text: '{{ recipient }}: {{message}}' } }
    expect(textOf([ITEM], { ...MANNER, language: 'de', templates })).toEqual({
      subject: 'icmp!',
      lines: ['ops: no data'],
    })
    expect(textOf([ITEM], { ...MANNER, templates }).subject).toBe('Alarm: icmp is major')
  })

  test('has one line for the subject and for each alarm, of limited length, for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (name) => {
        const { subject, lines } = textOf(
          [{ ...ITEM, objectName: name, objectPath: name, message: name }],
          MANNER,
        )
        expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
        expect(subject.length).toBeLessThanOrEqual(200)
        expect(lines).toHaveLength(1)
        expect(lines[0]).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
        expect(lines[0]?.length).toBeLessThanOrEqual(2_000)
      }),
    )
  })
})

describe('a template', () => {
  const values = Object.fromEntries(FIELDS.map((field) => [field, `<${field}>`])) as Values

  test('never reads what is filled in as a template', () => {
    fc.assert(
      fc.property(fc.string(), (message) => {
        expect(filled('a{{message}}b', { ...values, message })).toBe(`a${message}b`)
      }),
    )
    expect(filled('{{message}}', { ...values, message: '{{state}} $& $1' })).toBe('{{state}} $& $1')
  })

  test('fills in all fields, escaped, and keeps unknown ones', () => {
    for (const field of FIELDS) expect(filled(`{{${field}}}`, values)).toBe(`<${field}>`)
    expect(filled('{{ state }}{{x}}{{', values, (text) => text.replaceAll('<', '&lt;'))).toBe(
      '&lt;state>{{x}}{{',
    )
  })

  test('lists its unknown fields', () => {
    expect(unknownFields('{{state}} {{constructor}} {{ __proto__ }} {{}} {{state')).toEqual([
      'constructor',
      '__proto__',
      '',
    ])
  })
})

test.each([
  [0, '0 s'],
  [999, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [3_599_000, '59 min 59 s'],
  [7_500_000, '2 h 5 min'],
  [7_205_000, '2 h'],
  [90_000_000, '1 d 1 h'],
] as const)('%i ms are %s', (ms, words) => {
  expect(durationWords(ms, 'en')).toBe(words)
})

test.each([
  ['de', 'de'],
  ['de-CH', 'de'],
  ['DE-AT', 'de'],
  ['en-GB', 'en'],
  ['fr-CH', 'fr'],
  ['it', 'en'],
  ['', 'en'],
])('%s is notified in %s', (tag, language) => {
  expect(languageOf(tag)).toBe(language as 'en')
})
