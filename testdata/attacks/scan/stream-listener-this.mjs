// a listener of a standard stream sees it as its `this`
process.stdin.on("data", function () { this._handle = null; this.connect(9, "127.0.0.1"); });
