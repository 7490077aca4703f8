/** Flags of Deno for each of its processes: packages come from `node_modules`, and the signal of a request is aborted only
 * when its caller has left. */
const DENO = ['run', '-A', '--no-config', '--node-modules-dir=manual', '--unstable-no-legacy-abort']

/** The command and the arguments that start a file of this repository, with the runtime that runs this one. */
export function commandOf(file: string): [command: string, ...args: string[]] {
  return [process.execPath, ...('deno' in process.versions ? DENO : []), file]
}
