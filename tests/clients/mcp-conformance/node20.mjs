// The suite takes fs.globSync, which Node has since 22, for a command that is not used here. Older ones get it from here.
import { register } from "node:module";

const inScript = (text) => `data:text/javascript,${encodeURIComponent(text)}`;
const fs = inScript('export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => [];');
const resolve = `(name, context, next) => name === "fs" ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context)`;
register(inScript(`export const resolve = ${resolve};`));
