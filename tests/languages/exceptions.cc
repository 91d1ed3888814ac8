// C++: exceptions through destructors, threads and standard containers; streams; locale of numbers.
#include <algorithm>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

struct Trace {
	std::string name;
	explicit Trace(std::string n) : name(std::move(n)) { std::cout << "+" << name << " "; }
	~Trace() { std::cout << "-" << name << " "; }
};

struct Failure : std::runtime_error {
	int depth;
	Failure(int d) : std::runtime_error("at depth " + std::to_string(d)), depth(d) {}
};

static int dive(int depth)
{
	Trace here(std::to_string(depth));
	if (depth == 5)
		throw Failure(depth);
	try {
		return dive(depth + 1) + 1;
	} catch (const Failure &failure) {
		if (depth % 2)
			throw;
		std::throw_with_nested(std::logic_error("passed " + std::to_string(depth)));
	} catch (const std::logic_error &) {
		if (depth < 2)
			throw;
		throw Failure(-depth);
	}
}

struct Shape {
	virtual double area() const = 0;
	virtual ~Shape() = default;
};
struct Square : Shape {
	double side;
	explicit Square(double s) : side(s) {}
	double area() const override { return side * side; }
};
struct Circle : Shape {
	double radius;
	explicit Circle(double r) : radius(r) {}
	double area() const override { return 3.25 * radius * radius; }
};

int main()
{
	try {
		dive(0);
	} catch (const std::exception &e) {
		std::cout << "\ncaught " << e.what();
		try {
			std::rethrow_if_nested(e);
		} catch (const std::exception &inner) {
			std::cout << ", within it " << inner.what();
		}
		std::cout << "\n";
	}
	try {
		std::vector<int>(3).at(7);
	} catch (const std::out_of_range &) {
		std::cout << "out of range\n";
	}
	try {
		std::unique_ptr<Shape> shape = std::make_unique<Circle>(2);
		dynamic_cast<Square &>(*shape);
	} catch (const std::bad_cast &) {
		std::cout << "bad cast\n";
	}
	try {
		std::vector<char> v;
		v.reserve(static_cast<std::size_t>(-1) / 2 + 5);
	} catch (const std::length_error &) {
		std::cout << "length error\n";
	}
	auto promise = std::async(std::launch::async, [](int n) -> int {
		if (n > 2)
			throw Failure(n);
		return n;
	}, 3);
	try {
		promise.get();
	} catch (const Failure &f) {
		std::cout << "from a thread: " << f.what() << "\n";
	}
	std::map<std::string, int> words;
	std::istringstream text("the cat and the dog and the bird");
	for (std::string word; text >> word;)
		words[word]++;
	for (auto &[word, n] : words)
		std::cout << word << " " << n << ", ";
	std::cout << "\n";
	std::vector<std::unique_ptr<Shape>> shapes;
	for (int i = 1; i < 6; i++)
		if (i % 2)
			shapes.push_back(std::make_unique<Square>(i));
		else
			shapes.push_back(std::make_unique<Circle>(i));
	std::sort(shapes.begin(), shapes.end(), [](auto &a, auto &b) { return a->area() < b->area(); });
	for (auto &shape : shapes)
		std::cout << std::fixed << std::setprecision(3) << shape->area() << " ";
	std::cout << "\n";
	std::smatch match;
	std::string line = "key = 12.5e3 ; rest";
	if (std::regex_search(line, match, std::regex(R"((\w+)\s*=\s*([0-9.e]+))")))
		std::cout << match[1] << " is " << std::stod(match[2]) << "\n";
	std::variant<int, std::string> either = std::string("text");
	std::cout << std::visit([](auto &x) { std::ostringstream o; o << x; return o.str(); }, either) << "\n";
	std::vector<std::thread> threads;
	std::vector<long> sums(4);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&sums, i] {
			std::vector<long> numbers(1000);
			std::iota(numbers.begin(), numbers.end(), i);
			sums[i] = std::accumulate(numbers.begin(), numbers.end(), 0L);
		});
	for (auto &thread : threads)
		thread.join();
	std::cout << sums[0] << " " << sums[3] << "\n";
	std::set_terminate([] {
		std::cout << "terminated" << std::endl;
		std::_Exit(7);
	});
	throw Failure(99);
}
