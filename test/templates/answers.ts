import { TemplateFault } from '../../src/templates/fault.ts'
import { Template } from '../../src/templates/template.ts'
import type { Answer } from './cases.ts'
import { MODEL } from './model.ts'

/** The text of a template by this implementation; null for a fault. */
export function answerOf(text: string): Answer {
  try {
    return Template.parse(text).text({ parameters: MODEL, timeZone: 'UTC' })
  } catch (error) {
    if (error instanceof TemplateFault && error.line > 0) return null
    throw error
  }
}
