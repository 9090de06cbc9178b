// The little of Node that the programs here use, so that its types need not be installed.
declare const process: { argv: string[]; env: Record<string, string | undefined> };
