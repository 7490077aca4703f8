import * as z from 'zod'
import { areDistinct } from '../../../lib/same.ts'
import { storableText } from '../../../http/text-schemas.ts'
import { testResult } from '../../../monitoring/notifications/recipients/schema.ts'
import { imageSizes } from '../images/schema.ts'
import { parameterValues, timeRange, word } from '../parts.ts'

const RECIPIENTS_MAX = 10
export const WIDGETS_MAX = 20
const SUBJECT_MAX = 200

const { width, height, theme } = imageSizes

export const mailBody = z
  .strictObject({
    recipientIds: z
      .array(z.int().positive())
      .min(1)
      .max(RECIPIENTS_MAX)
      .refine(areDistinct, 'must be different')
      .describe('Alarm recipients of the types `email`, `user` and `group`.'),
    widgets: z
      .array(word)
      .min(1)
      .max(WIDGETS_MAX)
      .refine(areDistinct, 'must be different')
      .optional()
      .describe('The widgets in the mail; default: the first 20 that have images.'),
    subject: storableText
      .trim()
      .min(1)
      .max(SUBJECT_MAX)
      .optional()
      .describe('The subject of the mail; default: the name of the dashboard.'),
    params: parameterValues
      .default({})
      .describe('Values of parameters.')
      .meta({ examples: [{ region: 'north' }] }),
    timeRange: timeRange.optional().describe('The range of histories; default: the range of the dashboard.'),
    width,
    height,
    theme,
  })
  .meta({ examples: [{ recipientIds: [3], widgets: ['w1', 'w2'], timeRange: { from: '-P7D', to: 'now' } }] })

export const mailView = z
  .object({
    items: z
      .array(testResult.extend({ recipientId: z.int() }))
      .describe('The answer of the mail server for each recipient.'),
  })
  .meta({ id: 'DashboardMail' })

export type MailBody = z.output<typeof mailBody>
export type MailView = z.output<typeof mailView>
