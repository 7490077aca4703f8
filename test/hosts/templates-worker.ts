import { answerOf } from '../templates/answers.ts'

// Answers templates from within workerd.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request): Promise<Response> {
    const templates = (await request.json()) as readonly string[]
    return Response.json(templates.map(answerOf))
  },
}
