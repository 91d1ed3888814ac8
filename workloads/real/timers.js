// Timers that start, repeat, stop each other and end: the order is theirs, whatever the clock says.
var log = [];
var ticks = 0;
var victim = setTimeout(function () { log.push("never"); }, 400);

function chain(n) {
	log.push("chain " + n);
	if (n > 0) {
		setTimeout(function () { chain(n - 1); }, 5);
	}
}

for (var i = 8; i > 0; i--) {
	(function (n) {
		setTimeout(function () { log.push("timer " + n); }, 40 * n);
	}(i));
}
setTimeout(function () { chain(3); }, 450);
var interval = setInterval(function () {
	if (++ticks === 5) {
		clearInterval(interval);
		clearTimeout(victim);
		log.push("interval ends");
	}
}, 30);
setTimeout(function () {
	var squares = [];
	for (var i = 0; i < 2000; i++) {
		squares.push(i * i % 1009);
	}
	squares.sort(function (a, b) { return a - b; });
	log.push("median " + squares[1000] + ", " + JSON.stringify({ of: squares.length, at: [1, 2, { three: null }] }));
	print(log.join("\n"));
}, 700);
