import { boundsOf, curlOf, exampleOf, resolve, typeOf } from './document.ts'
import type { Answer, Entry, Media, OpenApi, Parameter } from './document.ts'
import { SchemaView } from './schema-view.tsx'

/** All that the document has on an operation. */
export function OperationView({ document, entry }: { readonly document: OpenApi; readonly entry: Entry }) {
  const { method, path, operation } = entry
  const { parameters = [], requestBody, responses } = operation
  return (
    <article aria-labelledby="operation">
      <h2 id="operation">{operation.summary ?? operation.operationId}</h2>
      <p class="place">
        <span class={`method ${method}`}>{method.toUpperCase()}</span> <code>{path}</code>
      </p>
      {operation.description !== undefined && <p class="quiet">{operation.description}</p>}
      <Code title="With curl" text={curlOf(document, entry)} />
      {parameters.length > 0 && (
        <section>
          <h3>Parameters</h3>
          <ul class="fields">
            {parameters.map((parameter) => (
              <ParameterView key={`${parameter.in} ${parameter.name}`} parameter={parameter} />
            ))}
          </ul>
        </section>
      )}
      {requestBody && (
        <section>
          <h3>Body</h3>
          <Bodies document={document} content={requestBody.content} />
        </section>
      )}
      <section>
        <h3>Responses</h3>
        {Object.entries(responses).map(([status, answer]) => (
          <AnswerView key={status} document={document} status={status} answer={resolve(document, answer)} />
        ))}
      </section>
    </article>
  )
}

function ParameterView({ parameter }: { readonly parameter: Parameter }) {
  const { name, required = false, description, schema = {} } = parameter
  const notes = [parameter.in, ...(required ? ['required'] : []), ...boundsOf(schema)]
  return (
    <li>
      <code class="name">{name}</code> <span class="type">{typeOf(schema)}</span>
      <span class="faint small"> {notes.join(', ')}</span>
      {description !== undefined && <p class="quiet">{description}</p>}
    </li>
  )
}

function AnswerView({
  document,
  status,
  answer,
}: {
  readonly document: OpenApi
  readonly status: string
  readonly answer: Answer
}) {
  const isSuccess = status.startsWith('2')
  return (
    <details open={isSuccess}>
      <summary>
        <code>{status}</code> {answer.description}
      </summary>
      {answer.content && <Bodies document={document} content={answer.content} />}
    </details>
  )
}

function Bodies({
  document,
  content,
}: {
  readonly document: OpenApi
  readonly content: Readonly<Record<string, Media>>
}) {
  return (
    <>
      {Object.entries(content).map(([type, media]) => {
        const example = exampleOf(document, media)
        return (
          <div key={type} class="body">
            <p class="faint small">{type}</p>
            {media.schema && <SchemaView document={document} schema={media.schema} />}
            {example !== null && <Code title="Example" text={example} />}
          </div>
        )
      })}
    </>
  )
}

function Code({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <figure>
      <figcaption class="faint small">{title}</figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}
