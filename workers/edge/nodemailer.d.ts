// What is taken from the library: its own types bring those of all of Node, which clash with those of Workers.
export type Result = {
  readonly accepted: readonly unknown[]
  readonly rejected: readonly unknown[]
  readonly response: string
}
export function createTransport(options: object): { sendMail(letter: object): Promise<Result> }
