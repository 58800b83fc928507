// `npm run test:real`: the engine contract against real, pinned engine programs, which are installed apart from the gateway.
process.stdout.write("No real engine program is wired in yet, so nothing was run and nothing was proven.\n");
