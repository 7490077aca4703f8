import { expect, test } from 'bun:test'

import type { MessageItem } from '../texts/message.ts'
import { parametersOf, payloadOf } from './payload.ts'

const MAX_BYTES = 65_536

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

const parcelOf = (items: readonly MessageItem[], template?: string) => ({
  key: 'ntf_x',
  createdAt: ITEM.beginAt,
  items,
  manner: {
    recipient: 'ops',
    language: 'en' as const,
    timeZone: 'UTC',
    templates: template === undefined ? {} : { en: { subject: 'x', text: template } },
  },
})

const bytesOf = (value: object) => new TextEncoder().encode(JSON.stringify(value)).length

test('a script gets the payload of a webhook, and leftOut is 0', () => {
  const notification = parcelOf([ITEM, { ...ITEM, kind: 'closed', endAt: ITEM.beginAt + 1 }])
  const { data, ...heading } = payloadOf(notification)
  expect(parametersOf(notification)).toEqual({ ...heading, data: { ...data, leftOut: 0 } })
})

test('the last alarms are left out and counted if they do not fit', () => {
  const objectPath = `/${'ü'.repeat(200)}`
  const items = Array.from({ length: 1_000 }, (_, alarmId) => ({ ...ITEM, alarmId, objectPath }))
  const { data } = parametersOf(parcelOf(items))
  expect(data.alarms.map(({ alarmId }) => alarmId)).toEqual(data.alarms.map((_, index) => index))
  expect([data.alarms.length > 50, data.alarms.length + data.leftOut]).toEqual([true, 1_000])
  const bytes = bytesOf(parametersOf(parcelOf(items)))
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  const [first] = data.alarms
  expect(bytes + bytesOf(first ?? {})).toBeGreaterThan(MAX_BYTES - 10)
  const fitting = parametersOf(parcelOf(items.slice(0, data.alarms.length)))
  expect([fitting.data.alarms.length, fitting.data.leftOut]).toEqual([data.alarms.length, 0])
})

test('a text that leaves no room for alarms is truncated', () => {
  const items = Array.from({ length: 20 }, () => ITEM)
  const long = parcelOf(items, '"\u00e4'.repeat(1_000))
  expect(bytesOf(payloadOf(long))).toBeGreaterThan(MAX_BYTES)
  const { data } = parametersOf(long)
  expect(bytesOf(parametersOf(long))).toBeLessThanOrEqual(MAX_BYTES)
  expect([data.text.endsWith('…'), data.alarms.length]).toEqual([true, 20])
})
