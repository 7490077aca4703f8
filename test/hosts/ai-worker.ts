import main from '../../workers/edge/main.ts'
import type { Environment } from '../../workers/edge/environment.ts'

export { FlowObject, JobObject } from '../../workers/edge/main.ts'

/** A model that answers a text with its languages in front. */
const AI = {
  run: (_: string, input: object) => {
    const { text, source_lang: source, target_lang: target } = input as Record<string, string>
    return Promise.resolve({ translated_text: `${source}-${target} ${text}` })
  },
}

// The Worker of the service where Workers AI is bound.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  fetch: (request: Request, environment: Environment) => main.fetch(request, { ...environment, AI }),
}
