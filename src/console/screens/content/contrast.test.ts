import { expect, test } from 'bun:test'

import { contrastOf } from './contrast.ts'
import type { Rgb } from './contrast.ts'

test('the contrast of colours is as WCAG defines it, in either order', () => {
  const [black, white, grey]: [Rgb, Rgb, Rgb] = [
    [0, 0, 0],
    [255, 255, 255],
    [118, 118, 118],
  ]
  expect(contrastOf(black, white)).toBeCloseTo(21, 5)
  expect(contrastOf(white, black)).toBeCloseTo(21, 5)
  expect(contrastOf(grey, white)).toBeCloseTo(4.54, 2)
  expect(contrastOf(grey, grey)).toBe(1)
})
