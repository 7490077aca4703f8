import * as z from 'zod'
import { storableText } from '../../../http/text-schemas.ts'

const theme = z.enum(['light', 'dark']).default('light').describe('The colours of the image.')

/** The look of images in a body. */
export const imageSizes = {
  width: z.int().min(120).max(1_600).default(480).describe('The width of the images in pixels.'),
  height: z.int().min(80).max(1_000).default(240).describe('The height of the images in pixels.'),
  theme,
}

const sizeOf = (least: number, most: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .default(usual)
    .meta({ type: 'integer', minimum: least, maximum: most, default: usual })

export const imageQuery = z.object({
  width: sizeOf(120, 1_600, 480).describe('The width of the image in pixels.'),
  height: sizeOf(80, 1_000, 240).describe('The height of the image in pixels.'),
  theme,
  from: storableText
    .max(64)
    .optional()
    .describe('The begin of the range, as in `timeRange` of the dashboard.'),
  to: storableText.max(64).optional().describe('The end of the range, as in `timeRange` of the dashboard.'),
})

export const IMAGE_FIELDS: readonly string[] = Object.keys(imageQuery.shape)
