import { expect, test } from 'bun:test'

import fc from 'fast-check'

import { badgeOf, textWidth } from './badge.ts'

/** The numbers of one attribute, in order. */
const numbers = (svg: string, name: string) =>
  [...svg.matchAll(new RegExp(` ${name}="(\\d+)"`, 'g'))].map(([, value]) => Number(value))

test('both parts are as wide as their texts, with room around, and together as wide as the badge', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ maxLength: 20 }),
      (name, value) => {
        const svg = badgeOf(name, value, 'good')
        const [width = 0, left = 0, right = 0] = numbers(svg, 'width')
        const [label = 0, told = 0] = numbers(svg, 'textLength')
        expect([label + 12, told + 12, left + right]).toEqual([left, right, width])
        expect(numbers(svg, 'x')).toEqual([left, 6, left + 6])
        expect(told).toBe(textWidth(value))
      },
    ),
  )
})

test('a longer text is wider, and wide characters take more', () => {
  expect(textWidth('')).toBe(0)
  expect(textWidth('ok')).toBeLessThan(textWidth('okay'))
  expect(textWidth('iii')).toBeLessThan(textWidth('mmm'))
  expect(textWidth('監視')).toBe(24)
})

test('a name of 40 characters is shown whole, a longer one cut', () => {
  expect(badgeOf('n'.repeat(40), 'ok', 'good')).toContain(`>${'n'.repeat(40)}<`)
  expect(badgeOf('n'.repeat(41), 'ok', 'good')).toContain(`>${'n'.repeat(39)}…<`)
})

test('a badge is mark-up of ours alone', () => {
  const svg = badgeOf('</text><script>', `" onload="x`, 'bad')
  expect(svg).not.toContain('<script')
  expect(svg).not.toContain('" onload')
  expect(svg.match(/<\/?[a-z]+/g)?.length).toBe(12)
})
