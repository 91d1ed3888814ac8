-- Queens on a board, then work on the text that tells of them: recursion, tables, closures,
-- coroutines, string building, patterns and sorting.  Nothing printed depends on the order of a hash.

local SIZE, ROUNDS = 8, 6

local function place(board, row, columns, rising, falling)
	if row > SIZE then
		coroutine.yield(table.concat(board, " "))
		return
	end
	for column = 1, SIZE do
		local up, down = row + column, row - column + SIZE
		if not (columns[column] or rising[up] or falling[down]) then
			columns[column], rising[up], falling[down] = true, true, true
			board[row] = column
			place(board, row + 1, columns, rising, falling)
			columns[column], rising[up], falling[down] = nil, nil, nil
		end
	end
end

local function solutions()
	return coroutine.wrap(function()
		place({}, 1, {}, {}, {})
	end)
end

local function draw(solution)
	local lines = {}
	for column in solution:gmatch("%d+") do
		local before = tonumber(column) - 1
		lines[#lines + 1] = ("."):rep(before) .. "Q" .. ("."):rep(SIZE - before - 1)
	end
	return table.concat(lines, "\n")
end

-- Adler-32 over bytes: long loops of arithmetic on what strings hold.
local function checksum(text)
	local a, b = 1, 0
	for i = 1, #text do
		a = (a + text:byte(i)) % 65521
		b = (b + a) % 65521
	end
	return b << 16 | a
end

local function mirror(solution)
	return (solution:gsub("%d+", function(column)
		return tostring(SIZE + 1 - tonumber(column))
	end))
end

local Tally = {}
Tally.__index = Tally

function Tally.new()
	return setmetatable({ counts = {}, keys = {} }, Tally)
end

function Tally:add(key)
	if not self.counts[key] then
		self.counts[key] = 0
		self.keys[#self.keys + 1] = key
	end
	self.counts[key] = self.counts[key] + 1
end

function Tally:sorted()
	table.sort(self.keys, function(x, y)
		local cx, cy = self.counts[x], self.counts[y]
		return cx > cy or (cx == cy and x < y)
	end)
	return self.keys
end

local found, pairs_seen, album = {}, Tally.new(), {}
for round = 1, ROUNDS do
	for solution in solutions() do
		if round == 1 then
			found[#found + 1] = solution
			found[solution] = #found
		end
		for pair in solution:gmatch("%d+ %d+") do
			pairs_seen:add(pair)
		end
		album[#album + 1] = draw(solution)
	end
end

local mirrored = 0
for _, solution in ipairs(found) do
	if found[mirror(solution)] then
		mirrored = mirrored + 1
	end
end

print(("%d queens: %d solutions, %d with their mirror image"):format(SIZE, #found, mirrored))
print(album[1])
for i, pair in ipairs(pairs_seen:sorted()) do
	if i > 5 then
		break
	end
	print(("%2d. columns %s: %d times"):format(i, pair, pairs_seen.counts[pair]))
end
local text = table.concat(album, "\n\n")
print(("album: %d bytes, checksum %08x"):format(#text, checksum(text)))
